#include "sinter/graph/onnx_model.h"

#include <onnx.pb.h>
