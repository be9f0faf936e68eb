/** The way into a database that has just been enrolled. */
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { lazyPart } from '../../../platform/i18n/lazy-part.ts';
import { ConnectCell } from '../connect/connect-cell.tsx';
import { databaseQuery } from '../db-queries.ts';

interface OpenDatabaseProps {
  clusterId: string;
  id: string;
}

export function OpenDatabase({ clusterId, id }: OpenDatabaseProps) {
  const details = useQuery(databaseQuery(useApi(), clusterId, id)).data;
  const [isOther, setOther] = useState(false);
  if (!details) return null;
  return (
    <>
      <ConnectCell clusterId={clusterId} database={details.item} onOther={() => setOther(true)} />
      {isOther && (
        <Suspense>
          <ConnectDialog clusterId={clusterId} name={id} onClose={() => setOther(false)} />
        </Suspense>
      )}
    </>
  );
}

const ConnectDialog = lazyPart(() => import('../connect/connect-dialog.tsx').then((file) => file.ConnectDialog));
