/** Holds every stylesheet to this: what scrolls is also what is positioned within it, or the page scrolls with it. */
import { globSync, readFileSync } from 'node:fs';
import { ROOT } from '@gatehouse/testkit/gateway-process';
import { expect, test } from 'vitest';

const SCROLLS = /(^|[\s;])overflow(-x|-y)?:[^;]*\b(auto|scroll)\b/;
const POSITIONED = /(^|[\s;])position:\s*(relative|absolute|fixed|sticky)/;

/** Each selector with all that the stylesheet declares for it. Rules within a media query count as well. */
function rules(css: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, selector = '', body = ''] of css.replace(/\/\*[\s\S]*?\*\//g, '').matchAll(/([^{};]+)\{([^{}]*)\}/g)) {
    for (const one of selector.split(',').map((text) => text.trim())) found.set(one, `${found.get(one) ?? ''};${body}`);
  }
  return found;
}

test('what scrolls holds what is positioned in it: words for screen readers would make the page as long as the list', () => {
  const loose = globSync('packages/{design,console}/src/**/*.css', { cwd: ROOT }).flatMap((file) =>
    [...rules(readFileSync(`${ROOT}/${file}`, 'utf8'))]
      .filter(([, body]) => SCROLLS.test(body) && !POSITIONED.test(body))
      .map(([selector]) => `${file}: ${selector}`),
  );

  expect(loose).toEqual([]);
});
