/* MD5 (RFC 1321) of a short text, for the names of patterns that grow. */
#ifndef OBJECTS_MD5_H
#define OBJECTS_MD5_H

/* Writes the checksum of a text of at most 55 bytes as 32 hexadecimal digits. */
void md5_text(const char *text, char sum[33]);

#endif
