// Package sovereignty looks for vendor BLAS and third-party ML frameworks in a linked program (claim G).
//
// [ReadImage] reads an ELF file or a Mach-O file, thin or fat, and lists the libraries it imports, the symbols it
// imports and the symbols it defines; [ReadModules] lists the Go modules the program was built from. [Judge]
// compares the lists with the deny lists of denied.go and returns one [Finding] a hit.
//
// It does not run anything, and does not look at strings that could be loaded at run time, nor at the images of a
// running process: what it has not looked at it does not vouch for.
package sovereignty
