use std::time::Duration;

use tonic::codegen::InterceptedService;
use tonic::metadata::errors::InvalidMetadataValue;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::transport::Channel;
use tonic::{GrpcMethod, Request, Status};

use crate::v1::face_detection_service_client::FaceDetectionServiceClient;
use crate::v1::meter_reading_service_client::MeterReadingServiceClient;
use crate::v1::score_config_service_client::ScoreConfigServiceClient;
use crate::v1::version_service_client::VersionServiceClient;

/// Deadline of a call that has none of its own. Streams get none.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// A thousand cropped faces fit; gRPC's own limit is 4 MiB.
const MAX_ANSWER_BYTES: usize = 64 << 20;

type CompletedChannel = InterceptedService<Channel, CallDefaults>;

/// Calls the service with one API key. Cloning is cheap and shares the connection.
#[derive(Clone)]
pub struct Client {
    pub faces: FaceDetectionServiceClient<CompletedChannel>,
    pub meters: MeterReadingServiceClient<CompletedChannel>,
    pub scores: ScoreConfigServiceClient<CompletedChannel>,
    pub versions: VersionServiceClient<CompletedChannel>,
}

impl Client {
    /// Fails when the key cannot be metadata, as with a line break in it.
    pub fn new(channel: Channel, api_key: &str) -> Result<Self, InvalidMetadataValue> {
        let defaults = CallDefaults::new("apikey", api_key)?;
        let channel = InterceptedService::new(channel, defaults);
        Ok(Self {
            faces: FaceDetectionServiceClient::new(channel.clone())
                .max_decoding_message_size(MAX_ANSWER_BYTES),
            meters: MeterReadingServiceClient::new(channel.clone())
                .max_decoding_message_size(MAX_ANSWER_BYTES),
            scores: ScoreConfigServiceClient::new(channel.clone()),
            versions: VersionServiceClient::new(channel),
        })
    }
}

/// Sends a key with every call, and gives calls, streams excepted, a deadline.
#[derive(Clone)]
pub struct CallDefaults {
    key_name: &'static str,
    key: MetadataValue<Ascii>,
}

impl CallDefaults {
    /// `key_name` is `apikey`, or `adminkey` on the administration port.
    pub fn new(key_name: &'static str, key: &str) -> Result<Self, InvalidMetadataValue> {
        // Files of other systems leave white space around a key.
        let mut key: MetadataValue<Ascii> = key.trim().parse()?;
        key.set_sensitive(true);
        Ok(Self { key_name, key })
    }
}

impl Interceptor for CallDefaults {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        request
            .metadata_mut()
            .insert(self.key_name, self.key.clone());
        if !request.metadata().contains_key("grpc-timeout") && !is_stream(&request) {
            request.set_timeout(DEFAULT_TIMEOUT);
        }
        Ok(request)
    }
}

/// The generated clients say which method they call; those of streams are named so.
fn is_stream(request: &Request<()>) -> bool {
    request
        .extensions()
        .get::<GrpcMethod>()
        .is_some_and(|called| called.method().starts_with("Stream"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The deadline that a call is sent with.
    fn deadline_of(method: &'static str, own: Option<Duration>) -> Option<String> {
        let mut request = Request::new(());
        request
            .extensions_mut()
            .insert(GrpcMethod::new("imageanalysis.v1.Service", method));
        if let Some(timeout) = own {
            request.set_timeout(timeout);
        }
        let request = CallDefaults::new("apikey", "key\r\n")
            .unwrap()
            .call(request)
            .unwrap();
        assert_eq!(request.metadata().get("apikey").unwrap(), "key");
        let deadline = request.metadata().get("grpc-timeout")?;
        Some(deadline.to_str().unwrap().to_owned())
    }

    #[test]
    fn calls_have_a_deadline_and_streams_none() {
        let own = Duration::from_millis(1);
        assert_eq!(deadline_of("ReadMeter", None).unwrap(), "30000000u");
        assert_eq!(deadline_of("ReadMeter", Some(own)).unwrap(), "1000000n");
        assert_eq!(deadline_of("StreamReadMeters", None), None);
    }

    #[test]
    fn the_authorities_of_the_system_are_trusted() {
        for name in ["SSL_CERT_FILE", "SSL_CERT_DIR"] {
            std::env::set_var(name, "there is none");
        }
        let config = tonic::transport::ClientTlsConfig::new().with_enabled_roots();
        let endpoint = tonic::transport::Endpoint::from_static("https://127.0.0.1:1");
        let error = endpoint.tls_config(config).unwrap_err();
        assert!(format!("{error:?}").contains("NativeCertsNotFound"), "{error:?}");
    }

    #[tokio::test]
    async fn no_plain_text_is_sent_to_an_https_address() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("https://{}", listener.local_addr().unwrap());
        let endpoint = tonic::transport::Endpoint::from_shared(address).unwrap();
        let error = endpoint.connect().await.unwrap_err();
        assert!(format!("{error:?}").contains("WithoutTls"), "{error:?}");
    }
}
