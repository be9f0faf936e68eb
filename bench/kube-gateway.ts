/** The gateway that kube.bench.ts measures, in a process of its own: TLS, one cluster under two names, one person. Tells its port and their passes. */
import { readFileSync } from 'node:fs';
import { kubePassRoutes } from '@gatehouse/contract/kinds/kube/kube-pass';
import { kubeRoutes } from '@gatehouse/contract/kinds/kube/kubernetes';
import { call } from '@gatehouse/contract/wire/client';
import { insertRole } from '@gatehouse/gateway/access/role-store';
import { collectLargeHeap } from '@gatehouse/tunnel/shells/collect-garbage';
import { composedGateway } from './composed-gateway.ts';
import { ownKilobytes } from './own-memory.ts';

const CLUSTER = 'bench';
const USER_AGENT = 'gatehouse-bench';
const setting = (name: string) => process.env[`BENCH_${name}`] ?? '';

// As a gateway does when it starts.
collectLargeHeap();
const tls = { cert: readFileSync(setting('CERT')), key: readFileSync(setting('KEY')) };
const gateway = await composedGateway({ clusterName: CLUSTER, tls, isRecording: true });
/** `part` is the same cluster for who sees every second pod: its lists are read as they pass. */
const RULES = {
  whole: "{kind: '*', api_group: '*', namespace: '*', name: '*', verbs: ['*']}",
  part: "{kind: pods, api_group: '', namespace: default, name: 'pod-even-*', verbs: ['*']}",
};
for (const [name, rule] of Object.entries(RULES)) {
  const allow = `{kubernetes_labels: {env: ${name}}, kubernetes_groups: [edit], kubernetes_resources: [${rule}]}`;
  const content = `kind: role\nversion: v8\nmetadata: {name: ${name}}\nspec: {allow: ${allow}}\n`;
  await gateway.db.transaction().execute((tx) => insertRole(tx, { name, content, by: 'bench', now: gateway.now() }));
}
const { cookie, bearer } = await gateway.addUser(['editor', ...Object.keys(RULES)], USER_AGENT);
const port = await gateway.listen();
const send = gateway.sendAs({ cookie, bearer }, USER_AGENT);

const params = { clusterId: CLUSTER };
const ca = readFileSync(setting('CA'), 'utf8');
const passes: Record<string, string> = {};
for (const name of Object.keys(RULES)) {
  const credential = { token: setting('TOKEN') };
  await call(send, kubeRoutes.add, {
    params,
    body: { name, labels: { env: name }, server: setting('SERVER'), ca, credential },
  });
  passes[name] = (await call(send, kubePassRoutes.give, { params: { ...params, name }, body: {} })).token;
}
process.on('message', (message) => {
  if (message === 'memory') {
    process.send?.({ type: 'memory', kilobytes: ownKilobytes() });
  }
  if (message === 'processor') {
    const { user, system } = process.cpuUsage();
    process.send?.({ type: 'processor', microseconds: user + system });
  }
  if (message === 'stop') process.exit(0);
});
process.send?.({ type: 'ready', port, passes });
