use std::collections::HashMap;
use std::time::Duration;

use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::v1::ErrorReason;

/// The stable reason of a refused call, to branch on. `Unspecified` when the failure is not the
/// service's own word, as when it cannot be reached, or when the reason is newer than this crate.
pub fn reason_of(status: &Status) -> ErrorReason {
    status
        .get_details_error_info()
        .and_then(|info| ErrorReason::from_str_name(&format!("ERROR_REASON_{}", info.reason)))
        .unwrap_or(ErrorReason::Unspecified)
}

/// What a refused picture in a stream would be as a refused call.
pub fn status_of(refusal: &tonic_types::Status) -> Status {
    use prost::Message;
    let details = refusal.encode_to_vec().into();
    Status::with_details(Code::from(refusal.code), refusal.message.clone(), details)
}

/// Facts of a refused call for a program: `field`, `value`, `limit` and the like.
pub fn details_of(status: &Status) -> HashMap<String, String> {
    status
        .get_details_error_info()
        .map(|info| info.metadata)
        .unwrap_or_default()
}

/// After which time trying again is worth it, if the service said so.
pub fn retry_delay_of(status: &Status) -> Option<Duration> {
    status.get_details_retry_info()?.retry_delay
}
