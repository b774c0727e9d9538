import CResources

extension [UInt8] {
    /// A copy of a file that is compiled in.
    package init(_ resource: CResource) {
        self.init(UnsafeBufferPointer(start: resource.bytes, count: resource.count))
    }
}
