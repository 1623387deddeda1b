/** The readers of a site, as the platform lists them. */
export type Access =
  | { kind: 'public' }
  | {
      kind: 'password' | 'members' | 'oidc' | 'token';
      /** 32 bytes, base64url: signs the cookies of readers of this host. A new key signs everyone out. */
      cookieKey: string;
    };
