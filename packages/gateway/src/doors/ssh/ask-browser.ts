/** Asks somebody to say yes in their browser, for programs that bring no certificate. */
import type { KeyboardAuthContext } from 'ssh2';
import type { Approvals, AskedSsh } from '../../identity/cli-login/approvals.ts';
import type { Who } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';

/** Enter was pressed before somebody said yes: asked again, and not for ever. */
const MAX_PROMPTS = 5;
const STEERING = /[^\x20-\x7e]/g;

export async function askBrowser(
  { identity: { approvals }, mayAsk }: { identity: { approvals: Approvals }; mayAsk(address: string): void },
  context: KeyboardAuthContext,
  { key, ...asked }: Omit<AskedSsh, 'key'> & { key: string | undefined },
): Promise<Who & { byDevice: boolean }> {
  mayAsk(asked.address);
  const plain = { ...asked, client: asked.client.replaceAll(STEERING, '?').slice(0, 120) };
  const { id, code, url } = await approvals.ask({ ...plain, ...(key === undefined ? {} : { key }) });
  // In the prompt itself: what stands beside it is hidden by programs that are told to be quiet, and by those that ask in a window.
  const words = `Open ${url} and accept if it shows ${code}, then press Enter: `;
  for (let turn = 0; turn < MAX_PROMPTS; turn++) {
    await pressEnter(context, turn === 0 ? words : `Nobody has accepted it yet. ${words}`);
    const answer = await approvals.answerTo(id);
    if (answer === 'denied') throw new AppError('not_signed_in', 'it was denied in the browser, or took too long');
    if (answer !== 'pending') return answer;
  }
  throw new AppError('not_signed_in', 'nobody accepted it in the browser');
}

function pressEnter(context: KeyboardAuthContext, prompt: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // A program that asks for something else meanwhile is told to ssh2 as an error: that is no Enter.
    context.prompt([{ prompt, echo: true }], 'Gatehouse', '', (given: unknown) =>
      Array.isArray(given) ? resolve() : reject(new AppError('not_signed_in', 'the program gave up')),
    );
  });
}
