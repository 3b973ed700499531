use std::time::Duration;

use tonic::codegen::InterceptedService;
use tonic::metadata::errors::InvalidMetadataValue;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::transport::Channel;
use tonic::{Request, Status};

use crate::v1::face_detection_service_client::FaceDetectionServiceClient;
use crate::v1::meter_reading_service_client::MeterReadingServiceClient;
use crate::v1::score_config_service_client::ScoreConfigServiceClient;

/// A good deadline for a call: `Endpoint::timeout(DEFAULT_TIMEOUT)`. It would end streams as well;
/// connect them without, and call `Request::set_timeout` on what is to be limited.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// A thousand cropped faces fit; gRPC's own limit is 4 MiB.
const MAX_ANSWER_BYTES: usize = 64 << 20;

type KeyedChannel = InterceptedService<Channel, KeyInterceptor>;

/// Calls the service with one API key. Cloning is cheap and shares the connection.
#[derive(Clone)]
pub struct Client {
    pub faces: FaceDetectionServiceClient<KeyedChannel>,
    pub meters: MeterReadingServiceClient<KeyedChannel>,
    pub scores: ScoreConfigServiceClient<KeyedChannel>,
}

impl Client {
    /// Fails when the key cannot be metadata, as with a line break in it.
    pub fn new(channel: Channel, api_key: &str) -> Result<Self, InvalidMetadataValue> {
        let key = KeyInterceptor::new("apikey", api_key)?;
        let keyed = InterceptedService::new(channel, key);
        Ok(Self {
            faces: FaceDetectionServiceClient::new(keyed.clone())
                .max_decoding_message_size(MAX_ANSWER_BYTES),
            meters: MeterReadingServiceClient::new(keyed.clone())
                .max_decoding_message_size(MAX_ANSWER_BYTES),
            scores: ScoreConfigServiceClient::new(keyed),
        })
    }
}

/// Sends a key with every call.
#[derive(Clone)]
pub struct KeyInterceptor {
    name: &'static str,
    key: MetadataValue<Ascii>,
}

impl KeyInterceptor {
    /// `name` is `apikey`, or `adminkey` on the administration port.
    pub fn new(name: &'static str, key: &str) -> Result<Self, InvalidMetadataValue> {
        let mut key: MetadataValue<Ascii> = key.parse()?;
        key.set_sensitive(true);
        Ok(Self { name, key })
    }
}

impl Interceptor for KeyInterceptor {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        request.metadata_mut().insert(self.name, self.key.clone());
        Ok(request)
    }
}
