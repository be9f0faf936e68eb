import { startCluster } from '../../../../testing/federation/two-clusters.ts';
import { visitsContract } from '../../../../testing/federation/visits-contract.ts';

visitsContract((name) => startCluster(name));
