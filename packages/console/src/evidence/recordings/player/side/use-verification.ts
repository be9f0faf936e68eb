/** Whether the recording is as it was written: small ones are checked at once, large ones when somebody asks. */
import type { RecordingDetails } from '@gatehouse/contract/recordings/recordings';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../../../platform/browser/use-api.ts';
import { verifyQuery } from '../player-queries.ts';

/** Checking reads the whole file on the gateway. */
const SMALL_BYTES = 5_000_000;

export function useVerification(clusterId: string, sid: string, details: RecordingDetails | undefined) {
  const api = useApi();
  const [isWanted, setWanted] = useState(false);
  const isSmall = details?.state === 'complete' && details.bytes < SMALL_BYTES;
  const { data, error, isFetching, refetch } = useQuery({
    ...verifyQuery(api, { clusterId, sid }),
    enabled: isWanted || isSmall,
  });
  return {
    verdict: data,
    error: error ?? undefined,
    isChecking: isFetching,
    check: () => {
      if (isWanted || isSmall) void refetch();
      else setWanted(true);
    },
  };
}

export type Verification = ReturnType<typeof useVerification>;
