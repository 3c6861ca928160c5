// Package syntax turns Metal Shading Language text into a tree: preprocessor, scanner, parser and printer.
//
// Parse takes all sources of a translation unit at once. The scanner makes tokens of text, the preprocessor obeys
// directives and replaces macros, the parser follows grammar.txt by recursive descent. C++ cannot be parsed without
// knowing which names are types and templates, so the parser keeps that much of the scopes (names.go) and no more:
// whether a name exists, and what it means, is the business of package check.
//
// Tokens that came from a macro have the position where the macro was used; a macro's arguments keep their own.
//
// Print writes a tree back as text. Printing, parsing and printing again gives the same text.
package syntax
