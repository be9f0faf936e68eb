/** What the tests of access share: a gateway with servers in it, roles from documents, and moving by keyboard alone. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type GatewayProcess, ROOT, startGateway } from '@gatehouse/testkit/gateway-process';
import type { Locator, Page } from 'playwright-core';

export interface SeededGateway extends GatewayProcess {
  /** Makes roles, users and locks what the YAML says. */
  apply(documents: string): Promise<void>;
}

/** Servers must be in the store before the gateway holds it. */
export async function startSeededGateway(servers: number): Promise<SeededGateway> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-access-'));
  await promisify(execFile)(process.execPath, [join(ROOT, 'tools/seed.ts'), dataDir, String(servers)]);
  const gateway = await startGateway({ GATEHOUSE_DATA_DIR: dataDir, GATEHOUSE_SECOND_FACTOR: 'off' });
  return {
    ...gateway,
    apply: (documents) => applyDocuments(gateway, documents),
    async stop() {
      await gateway.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export async function applyDocuments(gateway: GatewayProcess, documents: string): Promise<void> {
  const file = join(gateway.dataDir, 'documents.yaml');
  writeFileSync(file, documents);
  const { code, stderr } = await gateway.command('apply', '-f', file);
  if (code !== 0) throw new Error(`apply failed: ${stderr}`);
}

/** Keys are for a dialog once it has the focus, a moment after it is seen. */
export async function takesKeys(dialog: Locator): Promise<void> {
  await dialog.and(dialog.page().locator(':focus-within')).waitFor();
}

const MAX_STEPS = 120;

/** Presses Tab, or Shift and Tab, until the wanted control has the focus. */
export async function tabTo(page: Page, wanted: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await wanted.waitFor();
  for (let step = 0; step < MAX_STEPS; step += 1) {
    if (await wanted.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${wanted} cannot be reached by keyboard`);
}

/** The lines of the editor as they stand, without those that are shown as removed. */
export async function editorText(page: Page): Promise<string> {
  return (await page.locator('[data-editor] .cm-line').allTextContents()).join('\n');
}

/** Waits for something on the screen and gives back how long it took. */
export async function secondsUntil(shown: Promise<unknown>): Promise<number> {
  const began = Date.now();
  await shown;
  return (Date.now() - began) / 1000;
}
