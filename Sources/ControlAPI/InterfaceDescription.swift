import CResources

/// The OpenAPI 3.1 description of the control channel, as YAML.
public enum InterfaceDescription {
    public static var yaml: [UInt8] { [UInt8](resource_openapi()) }
}

extension [UInt8] {
    /// A copy of a file that is compiled in.
    package init(_ resource: CResource) {
        self.init(UnsafeBufferPointer(start: resource.bytes, count: resource.count))
    }
}
