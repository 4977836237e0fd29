// Says what a checkpoint is, with nothing but the installed library:  consumer CHECKPOINT

#include <iostream>

#include "sinter/arch/model.h"
#include "sinter/base/error.h"
#include "sinter/weights/checkpoint.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: consumer CHECKPOINT\n";
    return 2;
  }
  try {
    const auto checkpoint = sinter::weights::Checkpoint::open(argv[1]);
    const sinter::arch::Model model = sinter::arch::detect(checkpoint);
    std::cout << argv[1] << ": " << model.family << '\n';
    for (const auto& component : model.components) {
      std::cout << "  " << component.name << ": " << component.parameters << " parameters\n";
    }
    return 0;
  } catch (const sinter::Error& error) {
    std::cerr << "error: " << error.what() << '\n';
    return sinter::exit_status(error.code());
  }
}
