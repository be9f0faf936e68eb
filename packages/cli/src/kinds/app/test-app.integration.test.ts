/** `gatehouse apps test`, as somebody types it at a gateway that runs. */
import { freePort } from '@gatehouse/testkit/free-port';
import { startGateway } from '@gatehouse/testkit/gateway-process';
import { startNginx } from '@gatehouse/testkit/nginx';
import { expect, onTestFinished, test } from 'vitest';

test('each step is told with ✓ or ✗ and what to do, and one that failed is the exit code', async () => {
  const [gateway, nginx, closed] = await Promise.all([
    startGateway(),
    startNginx({ files: { 'index.html': 'hi' } }),
    freePort(),
  ]);
  onTestFinished(async () => {
    await gateway.stop();
    await nginx.stop();
  });
  await gateway.command('apps', 'add', 'wiki', `http://127.0.0.1:${nginx.port}`);
  await gateway.command('apps', 'add', 'dead', `http://127.0.0.1:${closed}`);

  const good = await gateway.command('apps', 'test', 'wiki');
  const dead = await gateway.command('apps', 'test', 'dead');
  const json = await gateway.command('apps', 'test', 'dead', '--format', 'json');

  expect(good).toMatchObject({ code: 0, stdout: expect.stringMatching(/✓ protocol {2}it answers with 200/) });
  expect(good.stdout).toContain("you can open the application 'wiki'");
  expect(dead.code).toBe(1);
  expect(dead.stdout).toContain('refuses the connection: nothing listens there');
  expect(dead.stdout).toContain(
    `→ start the server there, or correct the port; look there what listens: ss -ltn 'sport = :${closed}'`,
  );
  expect(JSON.parse(json.stdout)).toMatchObject({ success: false });
});
