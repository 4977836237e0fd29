#pragma once

// TensorRT's headers include CUDA's for two opaque handles. Parsing and building on a machine
// without CUDA needs no more than their names; where the CUDA toolkit is installed, its own header
// comes first.

struct CUstream_st;
struct CUevent_st;
using cudaStream_t = CUstream_st*;
using cudaEvent_t = CUevent_st*;
