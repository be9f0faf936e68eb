/** What lets programs come to Kubernetes clusters, as Kysely sees it. */
export interface KubeTables {
  kube_pass: KubePassTable;
}

/** A pass of one sign-in for one Kubernetes cluster. The secret itself is not kept. */
interface KubePassTable {
  /** SHA-256 of the pass. */
  hash: string;
  user: string;
  sign_in: string;
  /** The gateway's cluster that the record stands in. */
  cluster: string;
  /** The id of the record. */
  resource: string;
  name: string;
  given: number;
  expires: number;
  /** Whether a second factor was proven for it. */
  factor_proven: number;
}
