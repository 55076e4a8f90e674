"""What gives plays a value: networks, ONNX models, functions, and the policies known by name.

Imports ``engine`` and below; ``bulk`` and the command line choose plays by it.
"""
