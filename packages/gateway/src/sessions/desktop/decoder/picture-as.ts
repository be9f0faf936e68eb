/** What is on a screen, in the form that was asked for. */
import type { PictureSize } from '../desktop-recorder.ts';
import type { DrawnPicture, PictureForm } from './decoder-messages.ts';
import { encodePng, shrink } from './encode-png.ts';

export function pictureAs(
  { rgba, width, height, draws }: PictureSize & { rgba: Uint8Array; draws: number },
  form: Exclude<PictureForm, { as: 'tiles' }>,
): DrawnPicture {
  if (form.as === 'raw') return { width, height, draws, bytes: new Uint8Array(rgba) };
  const small = shrink({ rgba, width, height }, form.maxWidth);
  return { width: small.width, height: small.height, draws, bytes: encodePng(small.rgba, small) };
}
