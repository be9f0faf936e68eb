/** The recording as a file: asciicast of a terminal, or the statements of a session with a database. */

import { recordingUpkeepRoutes } from '@gatehouse/contract/recordings/recording-upkeep';
import type { RecordingDetails } from '@gatehouse/contract/recordings/recordings';
import { readError } from '@gatehouse/contract/wire/client';
import { pathFor } from '@gatehouse/contract/wire/route';
import { useToast } from '@gatehouse/design/toast';
import { useState } from 'react';
import { useBrowser } from '../../../platform/browser/browser-services.tsx';
import { saveFile } from '../../../platform/browser/save-file.ts';
import { failureWords } from '../../../platform/failures/failure-words.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';

/** The file is made in the page's memory, unpacked; the command line has no such end. */
const MAX_BYTES = 50_000_000;

type Form = 'cast' | 'sql' | 'jsonl';

const TYPES: Record<Form, string> = {
  cast: 'application/x-asciicast',
  sql: 'application/sql',
  jsonl: 'application/jsonl',
};

export function useDownload(clusterId: string, { sid, bytes }: RecordingDetails) {
  const t = useTranslate();
  const { send } = useBrowser();
  const toast = useToast();
  const [isLoading, setLoading] = useState(false);
  const download = async (form: Form = 'cast') => {
    setLoading(true);
    try {
      const { asciicast, statements } = recordingUpkeepRoutes;
      const url =
        form === 'cast'
          ? pathFor(asciicast.path, { clusterId, sid })
          : `${pathFor(statements.path, { clusterId, sid })}?as=${form}`;
      const received = await send({ method: 'GET', url });
      if (received.status !== 200) throw readError(received, url);
      const { text } = received;
      saveFile(new Blob([text], { type: TYPES[form] }), `${sid.replaceAll(/[^\w-]/g, '_')}.${form}`);
    } catch (error) {
      toast.show({ tone: 'bad', title: t('player.download-failed'), text: failureWords(t, error) });
    } finally {
      setLoading(false);
    }
  };
  return { isLoading, isTooLarge: bytes > MAX_BYTES, download };
}
