/** Looks at the states that a test walks a page through: what axe finds in each, what it finds of colours in both themes, and whether it fits its window. */
import { axeFindings, showTheme, THEMES, WIDTHS } from '@gatehouse/testkit/chromium';
import type { Page } from 'playwright-core';

export const EACH_WIDTH = Object.entries(WIDTHS).map(([width, viewport]) => ({ width, viewport }));

export type Look = (state: string) => Promise<void>;

/** A narrow window draws with the colours of a wide one: axe goes through a state in one theme there, the next in the other. */
const NARROW = 600;

/** `found` is empty at the end, or the page has to be mended. */
export function lookAt(page: Page) {
  const found: string[] = [];
  const isNarrow = (page.viewportSize()?.width ?? NARROW) < NARROW;
  let order: readonly (typeof THEMES)[number][] = THEMES;
  const look: Look = async (state) => {
    // Each state begins in the theme that the one before ended with: both are walked in.
    for (const theme of order) {
      await showTheme(page, theme);
      await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
      const overflow = (await page.evaluate('document.documentElement.scrollWidth - innerWidth')) as number;
      if (overflow > 0) found.push(`${state}, ${theme}: ${overflow} px too wide`);
      if (isNarrow && theme !== order[0]) continue;
      const findings = await axeFindings(page, theme === order[0] ? 'everything' : 'colours');
      found.push(...findings.map((finding) => `${state}, ${theme}: ${finding}`));
    }
    order = order.toReversed();
  };
  return { look, found };
}
