/** The archives of the agent that the build made, with what a machine checks its download by. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { installRoot } from '../../../platform/std/install-root.ts';

const manifest = z.object({
  archives: z.partialRecord(
    z.enum(['x64', 'arm64']),
    z.object({
      file: z.string().regex(/^gatehouse-agent-linux-(x64|arm64)\.tar\.gz$/),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
      bytes: z.number().int(),
    }),
  ),
  missing: z.partialRecord(z.enum(['x64', 'arm64']), z.string()),
});
export type AgentArchives = z.output<typeof manifest>;

export function archiveFolder(): string {
  return join(installRoot(), 'dist-agent');
}

/** Read each time: `npm start` packs them while the gateway is already up. */
export function readAgentArchives(folder = archiveFolder()): AgentArchives {
  try {
    return manifest.parse(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')));
  } catch {
    const reason = 'the gateway is still packing it, or was built without: try again in a minute, or run npm run build';
    return { archives: {}, missing: { x64: reason, arm64: reason } };
  }
}
