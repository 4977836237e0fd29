#pragma once

#include <onnxruntime_c_api.h>

#include <cstddef>

namespace sinter::runtime {

// What ONNX Runtime's C interface gained after the headers that sinter is built with (1.21). Its
// table of functions only grows at its end, by the promise of its header, so that a place in it
// belongs to one function for ever. Source: onnxruntime_c_api.h of 1.22 and 1.24.

struct EpDevice;            // OrtEpDevice: a device and a provider that can use it
struct AssignedSubgraph;    // OrtEpAssignedSubgraph: nodes that one provider took together
struct AssignedNode;        // OrtEpAssignedNode
using Unused = void (*)();  // not called by sinter

struct LaterApi {
  OrtApi until_21;

  // 1.22
  Unused since_22[16];
  OrtStatus* (*register_provider_library)(OrtEnv*, const char* name, const char* path) noexcept;
  Unused unregister_provider_library;
  OrtStatus* (*get_devices)(const OrtEnv*, const EpDevice* const** devices,
                            std::size_t* count) noexcept;
  OrtStatus* (*append_provider)(OrtSessionOptions*, OrtEnv*, const EpDevice* const* devices,
                                std::size_t count, const char* const* keys,
                                const char* const* values, std::size_t options) noexcept;
  Unused policies_and_hardware[7];
  const char* (*device_provider)(const EpDevice*) noexcept;
  Unused until_24[94];

  // 1.24
  OrtStatus* (*get_assignment)(const OrtSession*, const AssignedSubgraph* const** subgraphs,
                               std::size_t* count) noexcept;
  OrtStatus* (*subgraph_provider)(const AssignedSubgraph*, const char** name) noexcept;
  OrtStatus* (*subgraph_nodes)(const AssignedSubgraph*, const AssignedNode* const** nodes,
                               std::size_t* count) noexcept;
  OrtStatus* (*node_name)(const AssignedNode*, const char** name) noexcept;
  Unused node_domain;
  OrtStatus* (*node_operator)(const AssignedNode*, const char** name) noexcept;
};

static_assert(ORT_API_VERSION == 21 && sizeof(OrtApi) == 285 * sizeof(Unused),
              "newer headers declare these functions themselves");
static_assert(offsetof(LaterApi, register_provider_library) == 301 * sizeof(Unused));
static_assert(offsetof(LaterApi, device_provider) == 312 * sizeof(Unused));
static_assert(offsetof(LaterApi, get_assignment) == 407 * sizeof(Unused));

inline constexpr int kProviderLibrariesSince = 22;  // 1.22
inline constexpr int kAssignmentSince = 24;         // 1.24

}  // namespace sinter::runtime
