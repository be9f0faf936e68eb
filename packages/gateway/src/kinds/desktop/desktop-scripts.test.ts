import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { AppError } from '../../platform/std/app-error.ts';
import { quoted, serveDesktopScripts } from './desktop-scripts.ts';

const TOKEN = 'ab'.repeat(16);
const FOLDER = '/v1/webapi/scripts/desktop-access';

const app = Fastify();
const asked: object[] = [];
app.setErrorHandler((error, _, reply) =>
  reply.status(error instanceof AppError && error.code === 'bad_request' ? 400 : 500).send({ message: String(error) }),
);
serveDesktopScripts(app, {
  originFor: () => "https://gate.example.com/'; Remove-Item C:",
  async isGood(token, more) {
    asked.push({ token, ...more });
    return token === TOKEN;
  },
});
const get = (path: string) => app.inject(`${FOLDER}/${path}`);

test.each(['install-ad-ds.ps1', 'install-ad-cs.ps1', `configure/${TOKEN}/configure-ad.ps1`])(
  '%s asks for an administrator, and writes to no certificate store',
  async (path) => {
    const { statusCode, headers, body } = await get(path);
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(body).toContain("$ErrorActionPreference = 'Stop'");
    expect(body).toContain('WindowsBuiltInRole]::Administrator');
    expect(body).not.toMatch(
      /Import-(Pfx)?Certificate|New-SelfSignedCertificate|certutil|dspublish|X509Store|undefined/i,
    );
    // Every brace and bracket that is opened is closed: nothing here can run it.
    for (const [open, close] of ['{}', '()', '[]'] as const) {
      const count = (mark: string) => body.split(mark).length;
      expect(count(open!)).toBe(count(close!));
    }
  },
);

test('Remote Desktop is turned on with NLA inside TLS, and the firewall opened in any language', async () => {
  const { body } = await get('install-ad-ds.ps1');
  expect(body).toMatch(/fDenyTSConnections -Value 0/);
  expect(body).toMatch(/UserAuthentication -Value 1/);
  expect(body).toMatch(/SecurityLayer -Value 2/);
  expect(body).toContain("Enable-NetFirewallRule -Group '@FirewallAPI.dll,-28752'");
});

test('the account that reads has no rights, and the address stays a text', async () => {
  const { body } = await get(`configure/${TOKEN}/configure-ad.ps1`);
  expect(body).toContain(`$gateway = 'https://gate.example.com/''; Remove-Item C:'\n$token = '${TOKEN}'`);
  expect(body).not.toMatch(/Add-ADGroupMember|dsacls|Set-Acl/i);
  expect(asked.at(-1)).toMatchObject({ token: TOKEN, role: 'WindowsDesktop' });
});

test.each(['0'.repeat(32), 'x', "';calc"])('a bad token is refused as JSON, and stands nowhere: %s', async (token) => {
  const { statusCode, headers, body } = await get(`configure/${encodeURIComponent(token)}/configure-ad.ps1`);
  expect([statusCode, headers['content-type']]).toEqual([400, 'application/json; charset=utf-8']);
  expect(body).toContain('is not valid');
  if (token.length > 1) expect(body).not.toContain(token);
});

test('all that PowerShell takes for a quotation mark is doubled', () => {
  expect(quoted("a'b\u2019c$d`e")).toBe("'a''b\u2019\u2019c$d`e'");
});
