/** One desktop by VNC, drawn from what a recording keeps of it, by what pages draw it with: no client of theirs is needed. */
import { RfbDrawing } from '@gatehouse/contract/kinds/desktop/rfb/drawing';
import type { DrawnPicture, PictureForm } from './decoder-messages.ts';
import { pictureAs } from './picture-as.ts';

export class RfbPicture {
  #drawing: RfbDrawing | undefined = new RfbDrawing();

  /** A greeting, then messages of the host, cut anywhere. */
  async feed(pieces: Iterable<Buffer>): Promise<void> {
    this.#drawing?.draw(pieces);
  }

  look(form: PictureForm): DrawnPicture {
    if (form.as === 'tiles') throw new Error('tiles are drawn of RDP alone');
    const { points, draws, isMidway } = this.#drawing ?? new RfbDrawing();
    const { width, height, bytes } = points;
    return { ...pictureAs({ rgba: new Uint8Array(bytes.buffer), width, height, draws }, form), isMidway };
  }

  close(): void {
    this.#drawing = undefined;
  }
}
