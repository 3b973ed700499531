//! Every call of the service, with checks: `make test-sdk LANG=rust` runs it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::{collections::HashSet, env, error::Error, fs, path::Path, time::Duration};

use image_analysis_client::{
    details_of, reason_of, retry_delay_of, status_of, v1, CallDefaults, Client,
};
use tonic::transport::Endpoint;
use tonic::{Code, Request};
use v1::stream_detect_faces_response::Result as FacesResult;
use v1::stream_read_meters_response::Result as ReadingResult;

type Outcome = Result<(), Box<dyn Error>>;

#[tokio::main]
async fn main() -> Outcome {
    let channel = endpoint("IMAGE_ANALYSIS_GRPC")?.connect_lazy();
    let client = Client::new(channel, &env::var("IMAGE_ANALYSIS_APIKEY")?)?;

    detect_single_face(client.clone()).await?;
    detect_all_faces(client.clone()).await?;
    redact_faces(client.clone()).await?;
    read_meter(client.clone()).await?;
    fuse_meter_readings(client.clone()).await?;
    get_version(client.clone()).await?;
    set_and_get_detection_score(client.clone()).await?;
    branch_on_the_reason(client.clone()).await?;
    wrong_key().await?;
    deadline(client.clone()).await?;
    stream_detect_faces(client.clone()).await?;
    stream_read_meters(client.clone()).await?;
    stream_is_slowed_down(client).await?;
    administration().await?;
    println!("14 passed, 0 failed");
    Ok(())
}

async fn detect_single_face(mut client: Client) -> Outcome {
    let mut request = Request::new(v1::DetectSingleFaceRequest {
        image: sample("astronaut.jpg")?,
        landmarks: true,
        ..Default::default()
    });
    request.set_timeout(Duration::from_secs(20));

    let face = client
        .faces
        .detect_single_face(request)
        .await?
        .into_inner()
        .face
        .unwrap();

    let bounds = face.bounding_box.unwrap();
    let nose = face.landmarks.unwrap().nose_tip.unwrap();
    assert!(bounds.xmin < nose.x && nose.x < bounds.xmax);
    Ok(())
}

async fn detect_all_faces(mut client: Client) -> Outcome {
    let request = v1::DetectAllFacesRequest {
        image: sample("astronaut.jpg")?,
        min_score: Some(0.5),
        crop: Some(false),
        details: true,
        ..Default::default()
    };

    let answer = client.faces.detect_all_faces(request).await?.into_inner();

    assert_eq!(answer.faces.len(), 1);
    let threshold = answer.details.unwrap().threshold.unwrap();
    assert_eq!(threshold.source(), v1::ThresholdSource::Request);
    Ok(())
}

async fn redact_faces(mut client: Client) -> Outcome {
    let request = v1::RedactFacesRequest {
        image: sample("astronaut.jpg")?,
        style: Some("box".into()),
        ..Default::default()
    };

    let redacted = client.faces.redact_faces(request).await?.into_inner();

    assert_eq!(redacted.content_type, "image/jpeg");
    assert_eq!(redacted.face_count, 1);
    Ok(())
}

async fn read_meter(mut client: Client) -> Outcome {
    let request = v1::ReadMeterRequest {
        image: sample("meter.jpg")?,
        ..Default::default()
    };

    let reading = client.meters.read_meter(request).await?.into_inner();

    assert_eq!(reading.meter_number, "00473286");
    assert_eq!(reading.value, "00473.286");
    Ok(())
}

async fn fuse_meter_readings(mut client: Client) -> Outcome {
    let photo = sample("meter.jpg")?;
    let request = v1::FuseMeterReadingsRequest {
        images: vec![photo.clone(), photo],
        ..Default::default()
    };

    let fused = client
        .meters
        .fuse_meter_readings(request)
        .await?
        .into_inner();

    assert_eq!(fused.reading.unwrap().value, "00473.286");
    assert_eq!(fused.photos.len(), 2);
    Ok(())
}

async fn get_version(mut client: Client) -> Outcome {
    let answer = client
        .versions
        .get_version(v1::GetVersionRequest {})
        .await?
        .into_inner();

    assert!(answer.models.iter().any(|model| model.name == "meter-read"));
    Ok(())
}

async fn set_and_get_detection_score(mut client: Client) -> Outcome {
    let company = env::var("IMAGE_ANALYSIS_COMPANY")?;
    let password = env::var("IMAGE_ANALYSIS_PASSWORD")?;

    client
        .scores
        .set_detection_score(v1::SetDetectionScoreRequest {
            company: company.clone(),
            password: password.clone(),
            detection_score: Some(0.8),
        })
        .await?;
    let answer = client
        .scores
        .get_detection_score(v1::GetDetectionScoreRequest { company, password })
        .await?;

    assert_eq!(answer.into_inner().detection_score, 0.8);
    Ok(())
}

async fn branch_on_the_reason(mut client: Client) -> Outcome {
    let request = v1::DetectSingleFaceRequest {
        image: sample("meter.jpg")?,
        ..Default::default()
    };
    let status = client.faces.detect_single_face(request).await.unwrap_err();
    assert_eq!(reason_of(&status), v1::ErrorReason::NoFace);
    assert_eq!(retry_delay_of(&status), None);

    let request = v1::DetectAllFacesRequest {
        image: sample("astronaut.jpg")?,
        min_score: Some(1.5),
        ..Default::default()
    };
    let status = client.faces.detect_all_faces(request).await.unwrap_err();
    assert_eq!(reason_of(&status), v1::ErrorReason::InvalidScore);
    assert_eq!(details_of(&status)["field"], "min_score");
    Ok(())
}

async fn wrong_key() -> Outcome {
    let channel = endpoint("IMAGE_ANALYSIS_GRPC")?.connect_lazy();
    let mut stranger = Client::new(channel, "wrong")?;

    let request = v1::ReadMeterRequest::default();
    let status = stranger.meters.read_meter(request).await.unwrap_err();

    assert_eq!(reason_of(&status), v1::ErrorReason::InvalidApiKey);
    Ok(())
}

async fn deadline(mut client: Client) -> Outcome {
    let mut request = Request::new(v1::ReadMeterRequest {
        image: sample("meter.jpg")?,
        ..Default::default()
    });
    request.set_timeout(Duration::from_millis(1));

    let status = client.meters.read_meter(request).await.unwrap_err();

    // Of tonic's own clock, or of the service's.
    assert!(matches!(
        status.code(),
        Code::Cancelled | Code::DeadlineExceeded
    ));
    Ok(())
}

/// The stream of requests is polled only as fast as the service takes pictures.
async fn stream_detect_faces(mut client: Client) -> Outcome {
    let pictures = [
        ("good", sample("astronaut.jpg")?),
        ("bad", b"no picture".to_vec()),
    ];
    let requests = tokio_stream::iter(pictures.map(|(id, image)| v1::StreamDetectFacesRequest {
        id: id.into(),
        request: Some(v1::DetectAllFacesRequest {
            image,
            ..Default::default()
        }),
    }));

    let mut answers = client
        .faces
        .stream_detect_faces(requests)
        .await?
        .into_inner();
    let mut seen = 0;
    while let Some(answer) = answers.message().await? {
        match answer.result.unwrap() {
            FacesResult::Response(response) => {
                assert_eq!((answer.id.as_str(), response.faces.len()), ("good", 1));
            }
            FacesResult::Error(refusal) => {
                assert_eq!(answer.id, "bad");
                let status = status_of(&refusal);
                assert_eq!(reason_of(&status), v1::ErrorReason::UnsupportedImageType);
                assert_eq!(details_of(&status)["field"], "image");
            }
        }
        seen += 1;
    }
    assert_eq!(seen, 2);
    Ok(())
}

async fn stream_read_meters(mut client: Client) -> Outcome {
    let requests = tokio_stream::iter([v1::StreamReadMetersRequest {
        id: "hall".into(),
        request: Some(v1::ReadMeterRequest {
            image: sample("meter.jpg")?,
            ..Default::default()
        }),
    }]);

    let mut answers = client
        .meters
        .stream_read_meters(requests)
        .await?
        .into_inner();
    let answer = answers.message().await?.unwrap();

    match answer.result.unwrap() {
        ReadingResult::Response(reading) => assert_eq!(reading.value, "00473.286"),
        ReadingResult::Error(status) => panic!("{status:?}"),
    }
    Ok(())
}

async fn stream_is_slowed_down(mut client: Client) -> Outcome {
    const COUNT: usize = 80;
    let mut image = sample("astronaut.jpg")?;
    image.resize(image.len() + 2_000_000, 0);
    let taken = Arc::new(AtomicUsize::new(0));
    let counter = taken.clone();
    let requests = tokio_stream::iter((0..COUNT).map(move |number| {
        counter.fetch_add(1, Ordering::Relaxed);
        v1::StreamDetectFacesRequest {
            id: number.to_string(),
            request: Some(v1::DetectAllFacesRequest {
                image: image.clone(),
                crop: Some(false),
                ..Default::default()
            }),
        }
    }));

    let mut answers = client
        .faces
        .stream_detect_faces(requests)
        .await?
        .into_inner();
    let mut ids = HashSet::from([answers.message().await?.unwrap().id]);
    assert!(taken.load(Ordering::Relaxed) < COUNT / 2);
    while let Some(answer) = answers.message().await? {
        ids.insert(answer.id);
    }

    assert_eq!(ids.len(), COUNT);
    Ok(())
}

/// The administration port has a key of its own.
async fn administration() -> Outcome {
    let channel = endpoint("IMAGE_ANALYSIS_ADMIN")?.connect_lazy();
    let defaults = CallDefaults::new("adminkey", &env::var("IMAGE_ANALYSIS_ADMINKEY")?)?;
    let mut service =
        v1::admin_service_client::AdminServiceClient::with_interceptor(channel, defaults);

    let created = service
        .create_api_key(v1::CreateApiKeyRequest {
            label: "billing".into(),
            operations: vec![v1::Operation::MeterReading.into()],
            expire_time: None,
        })
        .await?
        .into_inner();
    let id = created.api_key.unwrap().id;
    let keys = service.list_api_keys(v1::ListApiKeysRequest::default()).await?;
    assert!(keys.into_inner().api_keys.iter().any(|key| key.id == id));
    let revoked = service
        .revoke_api_key(v1::RevokeApiKeyRequest { id })
        .await?
        .into_inner();
    assert!(revoked.api_key.unwrap().revoke_time.is_some());

    let name = "rust-example".to_string();
    service
        .create_company(v1::CreateCompanyRequest {
            name: name.clone(),
            password: "correct horse".into(),
        })
        .await?;
    service
        .set_company_password(v1::SetCompanyPasswordRequest {
            name: name.clone(),
            password: "battery staple".into(),
        })
        .await?;
    let companies = service.list_companies(v1::ListCompaniesRequest::default()).await?;
    let companies = companies.into_inner().companies;
    assert!(companies.iter().any(|company| company.name == name));
    service
        .delete_company(v1::DeleteCompanyRequest { name })
        .await?;
    Ok(())
}

fn endpoint(variable: &str) -> Result<Endpoint, Box<dyn Error>> {
    let endpoint = Endpoint::from_shared(format!("http://{}", env::var(variable)?))?;
    // Pings while calls are under way, so that a stream ends when its service is gone.
    Ok(endpoint
        .http2_keep_alive_interval(Duration::from_secs(30))
        .keep_alive_timeout(Duration::from_secs(10)))
}

fn sample(name: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    Ok(fs::read(
        Path::new(&env::var("IMAGE_ANALYSIS_SAMPLES")?).join(name),
    )?)
}
