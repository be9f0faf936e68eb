/** A gateway with nothing in it and a browser, for tests of the console as it is delivered. */
import { launchChromium } from '@gatehouse/tools/chromium';
import { type GatewayProcess, startGateway } from '@gatehouse/tools/gateway-process';
import { signedInContext } from '@gatehouse/tools/signed-in-context';
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';

export interface ConsoleWorld {
  gateway: GatewayProcess;
  browser: Browser;
  /** A browser of their own with an empty cache, signed in. */
  signedIn(name: string, roles: string, options?: BrowserContextOptions): Promise<BrowserContext>;
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
    async signedIn(name, roles, options = {}) {
      const context = await browser.newContext(options);
      await signedInContext(context, gateway, name, roles);
      return context;
    },
    async close() {
      await browser.close();
      await gateway.stop();
    },
  };
}
