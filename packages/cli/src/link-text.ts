/** A link somebody is to open, with its QR code where a person looks at a terminal. */
import type { Io } from './command.ts';

export async function linkText({ onTerminal }: Pick<Io, 'onTerminal'>, url: string): Promise<string> {
  if (!onTerminal) return `${url}\n`;
  const { default: qrcode } = await import('qrcode');
  return `${url}\n\n${await qrcode.toString(url, { type: 'terminal', small: true })}\n`;
}
