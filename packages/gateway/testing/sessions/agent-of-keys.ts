/** A real ssh-agent with one key in it, for as long as the test. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { onTestFinished, vi } from 'vitest';

export async function agentOfKeys(): Promise<{ socket: string; fingerprint: string }> {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-agent-'));
  const [socket, key] = [join(dir, 'socket'), join(dir, 'key')];
  const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' });
  onTestFinished(async () => {
    agent.kill();
    await new Promise((resolve) => agent.once('close', resolve));
    rmSync(dir, { recursive: true, force: true });
  });
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'of-the-agent', '-f', key]);
  await vi.waitFor(() => execFileSync('ssh-add', ['-q', key], { env: { ...process.env, SSH_AUTH_SOCK: socket } }), {
    timeout: SOON_MS,
  });
  const fingerprint = execFileSync('ssh-keygen', ['-lf', key], { encoding: 'utf8' }).split(' ')[1] ?? '';
  return { socket, fingerprint };
}
