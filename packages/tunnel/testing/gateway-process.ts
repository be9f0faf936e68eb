/** A gateway as a process of its own, for tests that kill it. Tells its parent about each tunnel. */
import { startTestGateway } from './test-gateway.ts';

const [json = '{}'] = process.argv.slice(2);
const gateway = await startTestGateway({
  ...JSON.parse(json),
  authorize: (_hello, key) => {
    process.send?.({ agent: key.fingerprint });
    return { accept: true };
  },
});
process.send?.({ port: gateway.port });
process.on('disconnect', () => process.exit());
