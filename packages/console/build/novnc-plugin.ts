/**
 * Lets noVNC load without waiting: a module that waits before it is there keeps the bundler from naming the files of screens themselves,
 * and every page of the console would fetch a dozen empty ones in between. Whether the browser draws H.264 is known a moment later.
 */
import type { Plugin } from 'vite';

const BROWSER = /@novnc\/novnc\/core\/util\/browser\.js$/;
const WAITS = /^supportsWebCodecsH264Decode = await (_checkWebCodecsH264DecodeSupport\(\));$/gm;

export function novncPlugin(): Plugin {
  return {
    name: 'gatehouse-novnc',
    apply: 'build',
    transform(code, id) {
      if (!BROWSER.test(id)) return undefined;
      const count = code.match(WAITS)?.length ?? 0;
      // Another version of noVNC: without this the files would be back and only the count of requests would tell, without saying why.
      if (count !== 1) throw new Error(`noVNC waits in ${count} places, not in 1`);
      const put = '$1.then((draws) => { supportsWebCodecsH264Decode = draws; }, () => {});';
      return { code: code.replace(WAITS, put), map: null };
    },
  };
}
