package syntax

// Resources are the types of MSL that are not of computing over buffers, and whether they take template arguments. They are parsed
// as types, so that package check can refuse them by name.
var Resources = map[string]bool{
	"texture1d": true, "texture1d_array": true, "texture2d": true, "texture2d_array": true, "texture3d": true, "texturecube": true,
	"texturecube_array": true, "texture2d_ms": true, "texture2d_ms_array": true, "texture_buffer": true, "depth2d": true,
	"depth2d_array": true, "depth2d_ms": true, "depth2d_ms_array": true, "depthcube": true, "depthcube_array": true, "sampler": false,
	"array_ref": true, "imageblock": true, "imageblock_slice": true, "command_buffer": false, "render_command": false,
	"compute_command": false, "render_pipeline_state": false, "compute_pipeline_state": false, "visible_function_table": true,
	"intersection_function_table": true, "mesh": true, "mesh_grid_properties": false, "patch_control_point": true, "interpolant": true,
	"tensor": true, "cooperative_tensor": true, "extents": true, "dextents": true, "os_log": false,
	"r8unorm": true, "r8snorm": true, "r16unorm": true, "r16snorm": true, "rg8unorm": true, "rg8snorm": true, "rg16unorm": true,
	"rg16snorm": true, "rgba8unorm": true, "srgba8unorm": true, "rgba8snorm": true, "rgba16unorm": true, "rgba16snorm": true,
	"rgb10a2": true, "rg11b10f": true, "rgb9e5": true,
}

// Raytracing are the types of namespace metal::raytracing, as Resources are of metal.
var Raytracing = map[string]bool{
	"ray": false, "instance_acceleration_structure": false, "primitive_acceleration_structure": false, "acceleration_structure": true,
	"intersector": true, "intersection_result": true, "intersection_query": true, "intersection_params": false,
	"intersection_function_table": true,
}

// foreignSpaces are the address spaces of graphics functions.
var foreignSpaces = map[string]bool{"threadgroup_imageblock": true, "object_data": true, "ray_data": true}

func resourceKind(template bool) nameKind {
	if template {
		return classTemplate
	}
	return typeName
}
