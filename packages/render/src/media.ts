/** Images, videos and sounds, by their names. */
export const MEDIA = /\.(?:png|jpe?g|gif|webp|avif|svg|bmp|mp4|webm|mov|ogv|mp3|wav|ogg|m4a)$/i;
