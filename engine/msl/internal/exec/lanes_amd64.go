package exec

import "golang.org/x/sys/cpu"

// fastLanes is written in assembly; nil where the processor lacks an instruction it needs.
var fastLanes = newFastLanes()

func newFastLanes() *laneKernels {
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA || !cpu.X86.HasF16C {
		return nil
	}
	k := *goLanes
	k.fma, k.fmaS, k.fmaC, k.fmaSC = avxFma, avxFmaS, avxFmaC, avxFmaSC
	k.fieldF32, k.fieldFma, k.treeSum = avxField, avxFieldFma, avxTreeSum
	k.sel, k.selS, k.splat = avxSelect, avxSelectS, avxSplat
	k.half, k.halfFma, k.half4, k.words2, k.words4 = avxLoadHalf, avxHalfFma, avxLoadHalf4, avxWords2, avxWords4
	k.xorAdd = func(d, a *f32s, m uint32) {
		switch m {
		case 1:
			avxXorAdd1(d, a)
		case 2:
			avxXorAdd2(d, a)
		case 4:
			avxXorAdd4(d, a)
		case 8:
			avxXorAdd8(d, a)
		case 16:
			avxXorAdd16(d, a)
		default:
			goXorAdd(d, a, m)
		}
	}
	k.xorLane = func(d, a *u32s, m uint32) {
		switch m {
		case 1:
			avxXor1Lane(d, a)
		case 2:
			avxXor2Lane(d, a)
		case 4:
			avxXor4Lane(d, a)
		case 8:
			avxXor8Lane(d, a)
		case 16:
			avxXor16Lane(d, a)
		default:
			goXorLane(d, a, m)
		}
	}
	for i, f := range map[int]lane1{
		oneNegF: avxNegF, oneAbsF: avxAbsF, oneSqrtF: avxSqrtF, oneRintF: avxRintF, oneFloorF: avxFloorF,
		oneI32ToF: avxI32ToF, oneU32ToF: avxU32ToF, oneFToI32: avxFToI32, oneRoundF16: avxRoundF16,
		oneF16Bits: avxF16Bits, oneBF16Bits: avxBF16Bits, oneToF16Bits: avxToF16Bits,
		oneExt8: avxExt8, oneExt16: avxExt16, oneLow8: avxLow8, oneLow16: avxLow16, oneNot: avxNot, oneNegI: avxNegI,
	} {
		k.one[i] = f
	}
	for i, f := range map[int]struct {
		v lane2
		s lane2s
	}{
		twoAddF: {avxAddF, avxAddFS}, twoSubF: {avxSubF, avxSubFS}, twoRsubF: {avxRsubF, avxRsubFS}, twoMulF: {avxMulF, avxMulFS},
		twoDivF: {avxDivF, avxDivFS}, twoRdivF: {avxRdivF, avxRdivFS},
		twoAddI: {avxAddI, avxAddIS}, twoSubI: {avxSubI, avxSubIS}, twoRsubI: {avxRsubI, avxRsubIS}, twoMulI: {avxMulI, avxMulIS},
		twoAnd: {avxAnd, avxAndS}, twoOr: {avxOr, avxOrS}, twoXor: {avxXor, avxXorS},
		twoShl: {avxShl, avxShlS}, twoShrU: {avxShrU, avxShrUS}, twoShrI: {avxShrI, avxShrIS},
		twoMinU: {avxMinU, avxMinUS}, twoMaxU: {avxMaxU, avxMaxUS}, twoMinI: {avxMinI, avxMinIS}, twoMaxI: {avxMaxI, avxMaxIS},
	} {
		k.two[i], k.twoS[i] = f.v, f.s
	}
	for i, f := range map[int]struct {
		v laneC
		s laneCs
	}{
		cmpEqF: {avxCmpEqF, avxCmpEqFS}, cmpNeF: {avxCmpNeF, avxCmpNeFS}, cmpLtF: {avxCmpLtF, avxCmpLtFS},
		cmpLeF: {avxCmpLeF, avxCmpLeFS}, cmpGtF: {avxCmpGtF, avxCmpGtFS}, cmpGeF: {avxCmpGeF, avxCmpGeFS},
		cmpEqI: {avxCmpEqI, avxCmpEqIS}, cmpNeI: {avxCmpNeI, avxCmpNeIS},
		cmpLtU: {avxCmpLtU, avxCmpLtUS}, cmpLeU: {avxCmpLeU, avxCmpLeUS}, cmpGtU: {avxCmpGtU, avxCmpGtUS}, cmpGeU: {avxCmpGeU, avxCmpGeUS},
		cmpLtI: {avxCmpLtI, avxCmpLtIS}, cmpLeI: {avxCmpLeI, avxCmpLeIS}, cmpGtI: {avxCmpGtI, avxCmpGtIS}, cmpGeI: {avxCmpGeI, avxCmpGeIS},
	} {
		k.cmp[i], k.cmpS[i] = f.v, f.s
	}
	return &k
}
