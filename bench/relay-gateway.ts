/** A whole gateway in a process of its own, with one person who may do everything and some servers: the root or the leaf of the relay bench. */
import { putResources } from '@gatehouse/gateway/inventory/resource-store';
import { composedGateway } from './composed-gateway.ts';

const clusterName = process.env.BENCH_CLUSTER ?? '';
const servers = Number(process.env.BENCH_SERVERS ?? 0);

const gateway = await composedGateway({ clusterName });
const { cookie, bearer } = await gateway.addUser(['editor', 'access'], 'bench');
const rows = Array.from({ length: servers }, (_, index) => ({
  ...{ cluster: clusterName, kind: 'node' as const, id: `node-${index}`, name: `web-${index}`, labels: { env: 'dev' } },
  ...{ spec: { type: 'agent', hostname: `web-${index}` }, owner: 'bench', expires: undefined },
}));
if (rows.length > 0) await gateway.db.transaction().execute((tx) => putResources(tx, rows, Date.now()));
const port = await gateway.listen();
process.send?.({ type: 'ready', port, cookie, bearer });
process.on('message', () => void gateway.close().then(() => process.exit(0)));
