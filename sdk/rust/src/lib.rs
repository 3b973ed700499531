//! Client of the image analysis service: face detection and water meter reading.

mod client;
mod refusal;

pub use client::{CallDefaults, Client, DEFAULT_TIMEOUT};
pub use refusal::{details_of, reason_of, retry_delay_of, status_of};

/// Messages and stubs, generated from the protos.
pub mod v1 {
    #![allow(clippy::all)]
    tonic::include_proto!("imageanalysis.v1");
}
