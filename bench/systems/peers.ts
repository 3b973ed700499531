import { existsSync } from 'node:fs';
import path from 'node:path';
import { findFreePorts } from '../../launcher/ports.js';
import type { LoadProcess } from '../load/load-process.js';
import type { Target } from '../load/messages.js';
import type { PictureSet, SetName } from '../pictures.js';
import { startChild } from './child.js';
import { multipartTarget } from './service.js';
import { networkSystem, type System } from './system.js';

interface Peer {
  readonly name: string;
  readonly title: string;
  readonly sets: readonly SetName[];
  /** Folder below bench/peers. */
  readonly folder: 'node' | 'opencv' | 'mediapipe' | 'rapidocr';
  readonly file: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A file that it needs beside what is installed. */
  readonly needs?: string;
  /** It works on one picture at a time, or one a core. */
  readonly isSlow?: boolean;
}

const faces: readonly SetName[] = ['vga', '12mp', 'crowd'];
const meters: readonly SetName[] = ['meter'];

/** What people use today for the same ends. */
function peersOf(sharedFolder: string): Peer[] {
  const yunet = path.join(sharedFolder, 'models', 'yunet_n_dynamic.onnx');
  return [
    {
      name: 'faceapi',
      title: 'face-api, tfjs-wasm, SSD',
      sets: faces,
      folder: 'node',
      file: 'face-api.mjs',
      isSlow: true,
    },
    {
      name: 'faceapi-tiny',
      title: 'face-api, tfjs-wasm, tiny',
      sets: faces,
      folder: 'node',
      file: 'face-api.mjs',
      env: { NET: 'tiny' },
      isSlow: true,
    },
    {
      name: 'opencv',
      title: 'OpenCV FaceDetectorYN, FastAPI',
      sets: faces,
      folder: 'opencv',
      file: 'server.py',
      env: { MODEL: yunet },
      needs: yunet,
    },
    { name: 'mediapipe', title: 'MediaPipe, FastAPI', sets: faces, folder: 'mediapipe', file: 'server.py' },
    { name: 'ocrnode', title: '@gutenye/ocr-node', sets: meters, folder: 'node', file: 'ocr-node.mjs', isSlow: true },
    { name: 'rapidocr', title: 'RapidOCR, FastAPI', sets: meters, folder: 'rapidocr', file: 'server.py', isSlow: true },
    { name: 'tesseract', title: 'tesseract.js', sets: meters, folder: 'node', file: 'tesseract.mjs', isSlow: true },
  ];
}

/** Starts the peers that are installed; says of the others why they are skipped. */
export async function startPeers(options: {
  readonly root: string;
  readonly sharedFolder: string;
  readonly load: LoadProcess;
  readonly pictures: readonly PictureSet[];
  readonly say: (line: string) => void;
}): Promise<System[]> {
  const { root, sharedFolder, load, pictures, say } = options;
  const start = async (peer: Peer): Promise<System[]> => {
    const folder = path.join(root, 'bench', 'peers', peer.folder);
    const isNode = peer.folder === 'node';
    const installed = path.join(folder, isNode ? 'node_modules' : '.venv');
    const missing = [installed, ...(peer.needs === undefined ? [] : [peer.needs])].find((file) => !existsSync(file));
    if (missing !== undefined) {
      say(`skipped: ${peer.title} (${path.relative(root, missing)} is missing; make bench-peers)`);
      return [];
    }
    try {
      const system = await startPeer(peer, folder, load, pictures);
      say(`started: ${peer.title}`);
      return [system];
    } catch (error) {
      say(`skipped: ${peer.title} (${(error as Error).message})`);
      return [];
    }
  };
  return (await Promise.all(peersOf(sharedFolder).map(start))).flat();
}

async function startPeer(
  peer: Peer,
  folder: string,
  load: LoadProcess,
  pictures: readonly PictureSet[],
): Promise<System> {
  const command = peer.folder === 'node' ? process.execPath : path.join(folder, '.venv', 'bin', 'python');
  const [port = 0] = await findFreePorts(1);
  const env = { ...process.env, ...peer.env, PORT: String(port) };
  const { pid, ready, stop } = startChild(command, [peer.file], { env, cwd: folder });
  const url = `http://127.0.0.1:${port}/`;
  await ready(async () => (await fetch(url)).ok);
  const targets: Partial<Record<SetName, Target>> = {};
  for (const set of pictures) {
    if (!peer.sets.includes(set.name)) continue;
    targets[set.name] = await multipartTarget(`${url}detect`, set);
  }
  return networkSystem(load, {
    name: peer.name,
    title: peer.title,
    pids: [pid],
    targets,
    ...(peer.isSlow && { isSlow: true }),
    close: stop,
  });
}
