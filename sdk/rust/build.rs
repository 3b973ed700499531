use std::{env, error::Error, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../proto");
    let mut protos = Vec::new();
    for entry in fs::read_dir(root.join("imageanalysis/v1"))? {
        protos.push(entry?.path());
    }
    println!("cargo:rerun-if-changed=../../proto/imageanalysis/v1");
    tonic_prost_build::configure()
        .build_server(false)
        .extern_path(".google.rpc.Status", "::tonic_types::Status")
        .compile_fds(protox::compile(&protos, [&root])?)?;
    Ok(())
}
