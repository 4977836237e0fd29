/* The merges of the CLIP vocabulary as text, one "left right" a line, best first. */
    .section .rodata
    .global sinter_clip_merges
    .global sinter_clip_merges_end
sinter_clip_merges:
    .incbin "clip_merges.txt"
sinter_clip_merges_end:
    .byte 0
    .section .note.GNU-stack, "", %progbits
