#include "textflag.h"

// func scanAVX2(q, rows *int8, n, dims int, out *int32)
//
// out[i] = Σ_j q[j]·rows[i·dims+j] for i < n; dims is a multiple of 16 and
// the products fit 32 bits. Bytes are widened to words, multiplied and added
// in pairs into double words: 16 products an instruction.
TEXT ·scanAVX2(SB), NOSPLIT, $0-40
	MOVQ q+0(FP), SI
	MOVQ rows+8(FP), DI
	MOVQ n+16(FP), CX
	MOVQ dims+24(FP), DX
	MOVQ out+32(FP), R8
	TESTQ CX, CX
	JZ done

row:
	VPXOR Y0, Y0, Y0
	XORQ AX, AX

loop:
	VPMOVSXBW (SI)(AX*1), Y1
	VPMOVSXBW (DI)(AX*1), Y2
	VPMADDWD Y1, Y2, Y3
	VPADDD Y3, Y0, Y0
	ADDQ $16, AX
	CMPQ AX, DX
	JLT loop

	VEXTRACTI128 $1, Y0, X1
	VPADDD X1, X0, X0
	VPSHUFD $0x4E, X0, X1
	VPADDD X1, X0, X0
	VPSHUFD $0xB1, X0, X1
	VPADDD X1, X0, X0
	VMOVD X0, (R8)

	ADDQ DX, DI
	ADDQ $4, R8
	DECQ CX
	JNZ row

done:
	VZEROUPPER
	RET
