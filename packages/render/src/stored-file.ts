/** Content of a file that an earlier render has emitted. */
export interface StoredFile {
  sha256: string;
  /** Bytes. */
  size: number;
  read(): Uint8Array;
  pieces(): Iterable<Uint8Array>;
}

/** Content of a large file that is made piece by piece. */
export type PiecedFile = Pick<StoredFile, 'size' | 'pieces'>;

export type FileContent = Uint8Array | string | StoredFile;

/** What a packer knows of a file that it was given. */
export type AddedFile = Pick<StoredFile, 'sha256' | 'size'>;
