/** A canvas as both draw on it that draw a desktop: the client, and what draws RemoteFX in its place. */
import type { Surface } from '@gatehouse/contract/kinds/desktop/remotefx/painter';

export function canvasSurface(canvas: HTMLCanvasElement): Surface {
  let image: ImageData | undefined;
  const context = () => {
    const found = canvas.getContext('2d');
    if (!found) throw new Error('this browser gives no canvas to draw on');
    return found;
  };
  return {
    get width() {
      return canvas.width;
    },
    get height() {
      return canvas.height;
    },
    paint(points, { left, top, width, height }) {
      // No copy: it is of the same bytes for as long as the picture has one size.
      if (image?.data !== points) image = new ImageData(points, canvas.width, canvas.height);
      context().putImageData(image, 0, 0, left, top, width, height);
    },
    read: ({ left, top, width, height }) => context().getImageData(left, top, width, height).data,
  };
}
