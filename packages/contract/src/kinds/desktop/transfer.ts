/** The transfer folder of a session with a desktop: how its files reach the gateway and leave it. What is in it, and tickets for both, come by the socket of the page. */
import { z } from 'zod';
import { defineRoutes } from '../../wire/route.ts';

/** The drive that the gateway keeps for a session, and the folder in it of what is offered to the page. */
export const TRANSFER_NAME = 'Gatehouse';
export const DOWNLOAD_FOLDER = 'Download';
/** As the picked folder is 2. */
export const TRANSFER_DIRECTORY = 3;
/** Of all that is in it. */
export const TRANSFER_BYTES = 2_000_000_000;
export const MAX_TRANSFER_PATH = 1_000;

export const desktopFileRoutes = defineRoutes({
  upload: {
    method: 'POST',
    path: '/v1/webapi/sites/:clusterId/desktop-uploads/:ticket',
    summary: 'Puts a file into the transfer folder of a desktop, once, within a minute of its ticket.',
    auth: 'signed-in',
    bodyAs: 'bytes',
    /** The name that it has there: another one where that was taken, or is none for desktops. */
    reply: z.object({ path: z.string(), size: z.number() }),
  },
  download: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/desktop-downloads/:ticket',
    summary:
      'Downloads a file of the transfer folder of a desktop, once; needs the cookie of the sign-in it was made for.',
    auth: 'signed-in',
    ticketed: true,
    reply: undefined,
    replyAs: 'bytes',
  },
});
