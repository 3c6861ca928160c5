package main

// Plan. Purpose: a reader who follows a relative link of any Markdown page arrives, and the README's commands exist.
// Control: a link that leads nowhere is found. Source: house style, pages are tested like code.

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var markdownLink = regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)

// deadLinks lists the relative links of a page that lead nowhere.
func deadLinks(page, text string) []string {
	var dead []string
	for _, m := range markdownLink.FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
			dead = append(dead, page+" -> "+m[1])
		}
	}
	return dead
}

var _ = Describe("the documentation", Label("area:documentation"), func() {
	It("has no relative link that leads nowhere", func() {
		pages, links := 0, 0
		Expect(filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && path != "." && strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir
			}
			if err != nil || filepath.Ext(path) != ".md" {
				return err
			}
			text, err := os.ReadFile(path)
			pages++
			links += len(markdownLink.FindAllString(string(text), -1))
			Expect(deadLinks(path, string(text))).To(BeEmpty())
			return err
		})).To(Succeed())
		Expect(pages).To(BeNumerically(">=", 4))
		Expect(links).To(BeNumerically(">=", 10))
	})

	It("is caught when a link leads nowhere", func() {
		Expect(deadLinks("README.md", "see [a](engine) and [b](engine/nowhere#part)")).To(Equal([]string{"README.md -> engine/nowhere"}))
	})

	It("of the README names only commands that exist", func() {
		text, err := os.ReadFile("README.md")
		Expect(err).NotTo(HaveOccurred())
		named := regexp.MustCompile(`go run \. ([a-z]+)`).FindAllStringSubmatch(string(text), -1)
		Expect(len(named)).To(BeNumerically(">=", 5))
		for _, m := range named {
			cmd, _, err := newRoot().Find([]string{m[1]})
			Expect(err).NotTo(HaveOccurred())
			Expect(cmd.Name()).To(Equal(m[1]))
		}
	})
})
