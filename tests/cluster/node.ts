import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../helpers/eventually.js';
import { type ApiServer, startApiServer } from '../helpers/kubernetes/api-server.js';
import { createAuthority } from '../helpers/net/certificates.js';

const run = promisify(execFile);

/** The node's address; pods are in 10.244.0.0/24, services in 10.96.0.0/16. */
const address = '10.0.0.1';

interface Place {
  /** Empty; for data and logs. */
  readonly work: string;
  readonly binaries: string;
  /** With archives of the images. */
  readonly images: string;
  /** The control group that is the root of all pods. */
  readonly cgroups: string;
}

interface Cluster extends ApiServer {
  /** Has the API server serve the pods' processor time and memory. */
  readonly startMetricsServer: () => Promise<void>;
}

/** Starts a control plane and a node, `node`, in the namespaces of this process, with which they end. */
export async function startCluster({ work, binaries, images, cgroups }: Place): Promise<Cluster> {
  const file = (name: string) => path.join(work, name);
  const own = (name: string) => path.join(binaries, name);
  const writeJson = async (name: string, value: object) => {
    await writeFile(file(name), JSON.stringify(value));
    return file(name);
  };
  const start = (command: string, args: readonly string[]): ChildProcess => {
    const log = openSync(file(`${path.basename(command)}.log`), 'a');
    const child = spawn(command, args, { stdio: ['ignore', log, log], cwd: work });
    child.once('error', ({ message }) => process.stderr.write(`${message}\n`));
    child.once('exit', (code) => process.stderr.write(`${path.basename(command)} ended (${code})\n`));
    return child;
  };

  // The aggregator signs its calls of the metrics server with a certificate of this authority.
  const authority = await createAuthority({ after: () => undefined });
  const aggregator = await authority.issue('aggregator');
  const server = await startApiServer({
    ...{ binaries, folder: work, address, port: 6443, etcdPorts: [2379, 2380] },
    flags: [
      ...['--kubelet-preferred-address-types=InternalIP', `--requestheader-client-ca-file=${authority.certFile}`],
      ...['--requestheader-username-headers=X-Remote-User', '--requestheader-group-headers=X-Remote-Group'],
      ...['--requestheader-extra-headers-prefix=X-Remote-Extra-'],
      ...[`--proxy-client-cert-file=${aggregator.certFile}`, `--proxy-client-key-file=${aggregator.keyFile}`],
    ],
  });
  const access = `--kubeconfig=${server.kubeconfig}`;

  const socket = await startContainerd(file, start);
  const load = async (name: string) => {
    const args = ['--address', socket, '--namespace', 'k8s.io', 'images', 'import', path.join(images, `${name}.tar`)];
    await run('ctr', args);
  };
  for (const name of ['pause', 'postgres', 'image-analysis']) await load(name);

  start(own('kube-controller-manager'), [access, '--leader-elect=false', '--horizontal-pod-autoscaler-sync-period=5s']);
  start(own('kube-scheduler'), [access, '--leader-elect=false']);
  // As kubeadm sets it up.
  await writeFile(
    file('Corefile'),
    `.:53 {\n bind ${address}\n errors\n kubernetes cluster.local {\n  kubeconfig ${server.kubeconfig}\n  ttl 30\n }\n template ANY ANY {\n  rcode NXDOMAIN\n }\n cache 30\n}\n`,
  );
  start(own('coredns'), ['-conf', file('Corefile')]);
  await writeFile(file('resolv.conf'), '');
  const kubelet = await writeJson('kubelet.json', {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${cgroups}`,
    clusterDNS: [address],
    clusterDomain: 'cluster.local',
    containerRuntimeEndpoint: `unix://${socket}`,
    evictionHard: { 'memory.available': '100Mi' },
    failSwapOn: false,
    imageGCHighThresholdPercent: 100,
    podLogsDir: file('pods'),
    resolvConf: file('resolv.conf'),
  });
  start(own('kubelet'), [
    ...[access, `--config=${kubelet}`, `--root-dir=${file('kubelet')}`],
    ...['--hostname-override=node', `--node-ip=${address}`],
  ]);
  const proxy = await writeJson('kube-proxy.json', {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    clientConnection: { kubeconfig: server.kubeconfig },
    clusterCIDR: '10.244.0.0/16',
    // Those of the kernel stay as they are.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
    hostnameOverride: 'node',
    mode: 'iptables',
  });
  start(own('kube-proxy'), [`--config=${proxy}`]);
  await server.kubectl(['wait', '--for=create', 'node/node', '--timeout=120s']);
  // Of what it can do, only network policies; they are filters of the node's kernel.
  start(own('kube-router'), [
    ...[access, '--hostname-override=node', '--service-cluster-ip-range=10.96.0.0/16', '--health-port=0'],
    ...['--run-firewall=true', '--run-router=false', '--run-service-proxy=false', '--enable-cni=false'],
  ]);
  await server.kubectl(['wait', '--for=condition=Ready', 'node/node', '--timeout=120s']);

  return {
    ...server,
    async startMetricsServer() {
      start(own('metrics-server'), [
        ...[
          access,
          `--authentication-kubeconfig=${server.kubeconfig}`,
          `--authorization-kubeconfig=${server.kubeconfig}`,
        ],
        ...['--secure-port=4443', `--cert-dir=${file('metrics')}`, '--metric-resolution=15s'],
        ...['--kubelet-insecure-tls', '--kubelet-preferred-address-types=InternalIP'],
      ]);
      await server.kubectl(['apply', '-f', '-'], JSON.stringify(describeMetricsServer()));
      await eventually(() => server.kubectl(['top', 'pods', '-A']).catch(() => false as const), 120_000);
    },
  };
}

/** @returns its socket */
async function startContainerd(
  file: (name: string) => string,
  start: (command: string, args: readonly string[]) => unknown,
): Promise<string> {
  const socket = file('containerd.sock');
  await mkdir(file('cni'));
  await writeFile(
    file('cni/pods.conflist'),
    JSON.stringify({
      cniVersion: '0.4.0',
      name: 'pods',
      plugins: [
        {
          ...{ type: 'bridge', bridge: 'pods', isGateway: true, hairpinMode: true },
          ipam: {
            ...{ type: 'host-local', dataDir: file('addresses') },
            ...{ ranges: [[{ subnet: '10.244.0.0/24' }]], routes: [{ dst: '0.0.0.0/0' }] },
          },
        },
      ],
    }),
  );
  await writeFile(
    file('containerd.toml'),
    `version = 2
root = "${file('containerd')}"
state = "/run/containerd"
[grpc]
address = "${socket}"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "localhost/pause:test"
# Where root may not make itself less likely to be killed.
restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "/usr/lib/cni"
conf_dir = "${file('cni')}"
`,
  );
  start('containerd', ['--config', file('containerd.toml')]);
  await eventually(() => run('ctr', ['--address', socket, 'version']).catch(() => false as const));
  return socket;
}

/** The API that autoscalers ask, served at the node's address. */
function describeMetricsServer(): object {
  const metadata = { name: 'metrics-server', namespace: 'kube-system' };
  return {
    apiVersion: 'v1',
    kind: 'List',
    items: [
      { apiVersion: 'v1', kind: 'Service', metadata, spec: { ports: [{ port: 443, targetPort: 4443 }] } },
      {
        ...{ apiVersion: 'v1', kind: 'Endpoints', metadata },
        subsets: [{ addresses: [{ ip: address }], ports: [{ port: 4443 }] }],
      },
      {
        ...{ apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' },
        metadata: { name: 'v1beta1.metrics.k8s.io' },
        spec: {
          ...{ group: 'metrics.k8s.io', version: 'v1beta1', groupPriorityMinimum: 100, versionPriority: 100 },
          ...{ service: { name: metadata.name, namespace: metadata.namespace }, insecureSkipTLSVerify: true },
        },
      },
    ],
  };
}
