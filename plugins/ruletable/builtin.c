/* The rule that is there without any file. */
#include "ruletable.h"

#include <string.h>

static const char wireworld[] = "@RULE WireWorld\n"
                                "Brian Silverman's electrons on wires.\n"
                                "@TABLE\n"
                                "n_states:4\n"
                                "neighborhood:Moore\n"
                                "symmetries:permute\n"
                                "# 0 empty, 1 electron head, 2 electron tail, 3 wire\n"
                                "var a={0,1,2,3}\n"
                                "var b=a\n"
                                "var c=a\n"
                                "var d=a\n"
                                "var e=a\n"
                                "var f=a\n"
                                "var g=a\n"
                                "var h=a\n"
                                "var n={0,2,3}\n"
                                "var o=n\n"
                                "var p=n\n"
                                "var q=n\n"
                                "var r=n\n"
                                "var s=n\n"
                                "var t=n\n"
                                "1,a,b,c,d,e,f,g,h,2\n"
                                "2,a,b,c,d,e,f,g,h,3\n"
                                "3,1,n,o,p,q,r,s,t,1\n"
                                "3,1,1,n,o,p,q,r,s,1\n"
                                "@COLORS\n"
                                "0 16 16 24\n"
                                "1 80 170 255\n"
                                "2 255 255 255\n"
                                "3 200 110 30\n";

const char *ruletable_builtin(const char *name)
{
    return strcmp(name, "WireWorld") == 0 ? wireworld : NULL;
}
