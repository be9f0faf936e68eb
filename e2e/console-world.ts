/** A gateway with nothing in it and a browser, for tests of the console as it is delivered. */
import { launchChromium } from '@gatehouse/testkit/chromium';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { signedInContext } from '@gatehouse/testkit/signed-in-context';
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';

interface SignedInOptions extends BrowserContextOptions {
  /** As pages do unless their reader counts bytes. */
  fetchesAhead?: boolean;
}

export interface ConsoleWorld {
  gateway: GatewayProcess;
  browser: Browser;
  /** A browser of their own with an empty cache, signed in. */
  signedIn(name: string, roles: string, options?: SignedInOptions): Promise<BrowserContext>;
  close(): Promise<void>;
}

export async function startConsoleWorld(): Promise<ConsoleWorld> {
  const gateway = await startGateway();
  const browser = await launchChromium().catch(async (error: unknown) => {
    await gateway.stop();
    throw error;
  });
  return {
    gateway,
    browser,
    async signedIn(name, roles, { fetchesAhead = true, ...options } = {}) {
      const context = await browser.newContext(options);
      await signedInContext(context, gateway, name, roles, { fetchesAhead });
      return context;
    },
    async close() {
      await browser.close();
      await gateway.stop();
    },
  };
}
