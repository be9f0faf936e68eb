/** A real OpenID provider in a process of its own, so that its work is not counted as the gateway's. Started by `providers.bench.ts`. */
import { startOidcWorld } from '@gatehouse/gateway/testing/connectors/oidc-world';

export interface ProviderSettings {
  client: string;
  secret: string;
  callback: string;
  accounts: Record<string, Record<string, unknown>>;
}

/** Asks it to walk a browser through, or tells the address it came back to. */
export type ProviderMessage = { walk: { url: string; account: string } };

const settings = JSON.parse(process.argv[2] ?? '{}') as ProviderSettings;
const { client, secret, callback, accounts } = settings;
const world = await startOidcWorld({ accounts, clients: [{ id: client, secret, callback }] });
process.send?.({ issuer: world.issuer });
process.on('message', async ({ walk }: ProviderMessage) => {
  world.signInAs(walk.account);
  process.send?.({ back: await world.follow(walk.url, callback) });
});
process.on('disconnect', () => process.exit(0));
