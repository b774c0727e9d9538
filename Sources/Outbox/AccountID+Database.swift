import GRDB
import SyncModel

extension AccountID: DatabaseValueConvertible {}
