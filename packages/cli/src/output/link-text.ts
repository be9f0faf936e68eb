/** A link somebody is to open, with its QR code where a person looks at a terminal. */
import { isLoopbackUrl } from '@gatehouse/contract/std/loopback-host';
import type { Io } from '../command.ts';

export async function linkText({ onTerminal }: Pick<Io, 'onTerminal'>, url: string): Promise<string> {
  if (!onTerminal) return `${url}\n`;
  const { default: qrcode } = await import('qrcode');
  return `${url}\n\n${await qrcode.toString(url, { type: 'terminal', small: true })}\n`;
}

/** A link for somebody else, and a warning when they could not open it. */
export async function handedOverText(io: Pick<Io, 'onTerminal'>, url: string): Promise<string> {
  return `${await linkText(io, url)}${loopbackNote(url)}`;
}

export function loopbackNote(url: string): string {
  if (!isLoopbackUrl(url)) return '';
  const { host } = new URL(url);
  return `note: the link begins with ${host}, which works on the gateway's own machine only; set GATEHOUSE_PUBLIC_ADDR to an address that others can open\n`;
}
