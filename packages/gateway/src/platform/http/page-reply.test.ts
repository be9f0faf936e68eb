import { createHash } from 'node:crypto';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { type PageReply, sendPage } from './page-reply.ts';

async function pageOf(page: PageReply) {
  const app = Fastify();
  app.get('/', (_request, reply) => sendPage(reply, page));
  const { body, headers } = await app.inject('/');
  await app.close();
  return { body, policy: String(headers['content-security-policy']) };
}

const scriptsIn = (body: string) => [...body.matchAll(/<script>([^<]*)<\/script>/g)].map(([, script = '']) => script);
const hashed = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

test.each<PageReply>([{ words: 'Done.' }, { refresh: '/web' }])(
  'a page of its own has the one style and the one script its policy allows, and loads nothing: %o',
  async (page) => {
    const { body, policy } = await pageOf(page);

    const style = /<style>([^<]*)<\/style>/.exec(body)?.[1] ?? '';
    expect(policy).toContain(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`);
    expect(policy).toContain("default-src 'none'");
    expect(scriptsIn(body)).toEqual([expect.stringContaining("localStorage.getItem('theme')")]);
    expect(policy).toContain(`; script-src ${scriptsIn(body).map(hashed).join(' ')};`);
    expect(body).not.toMatch(/<link|src=|url\(|style="/);
  },
);

test('what a page is told ends no element and no attribute', async () => {
  const hostile = `"><b onclick='x'>`;

  expect((await pageOf({ words: hostile })).body).not.toContain('<b ');
  expect((await pageOf({ refresh: `/web?${hostile}` })).body).not.toContain('<b ');
  expect((await pageOf({ words: '', goesOn: `/web?${hostile}` })).body).not.toContain('<b ');
});

test('a page may ask whether somebody wants to go on, in words with quotes', async () => {
  const { body } = await pageOf({ words: "'ann' asks.", goesOn: '/web' });

  expect(body).toContain('<p>&#39;ann&#39; asks.</p><p><a href="/web">Continue</a></p>');
});

test('the end of a way in a window of its own closes that, by the one script its policy allows', async () => {
  const { body, policy } = await pageOf({ words: 'Done.', closes: true });

  expect(scriptsIn(body).at(-1)).toBe('window.close()');
  expect(policy).toContain(`; script-src ${scriptsIn(body).map(hashed).join(' ')};`);
  expect((await pageOf({ words: 'Done.' })).policy).not.toContain(hashed('window.close()'));
});
