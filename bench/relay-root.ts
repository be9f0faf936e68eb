/** The root's end of many tunnels in a process of its own: says what they cost. */
import { startRoot } from '@gatehouse/gateway/testing/relay/trusting-ends';

const root = await startRoot();
process.send?.({ type: 'ready', port: root.port });
process.on('message', (message: { leaves?: Parameters<typeof root.leaves.set>[0] }) => {
  if (message.leaves) root.leaves.set(message.leaves);
  for (let turn = 0; turn < 3; turn++) globalThis.gc?.();
  process.send?.({
    type: 'state',
    connected: root.live.size,
    bytes: process.memoryUsage.rss(),
    processor: process.cpuUsage().user + process.cpuUsage().system,
  });
});
