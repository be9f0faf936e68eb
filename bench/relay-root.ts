/** The root's end of many tunnels in a process of its own: says what they cost. */
import { startRoot } from '@gatehouse/gateway/testing/relay/trusting-ends';

function used(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

const root = await startRoot();
process.send?.({ type: 'ready', port: root.port });
process.on('message', (message: { leaves?: Parameters<typeof root.leaves.set>[0] }) => {
  if (message.leaves) root.leaves.set(message.leaves);
  // To look at the memory costs more than the leaves do: what was used is told as it was before and after.
  const before = used();
  for (let turn = 0; turn < 3; turn++) globalThis.gc?.();
  process.send?.({
    type: 'state',
    connected: root.live.size,
    bytes: process.memoryUsage.rss(),
    ...{ before, after: used() },
  });
});
